"""The places of a person's state, and the functions that open it."""

from ana.workspace.workspace import Workspace, check_model, is_fixed, load_workspace, open_workspace

__all__ = ["Workspace", "check_model", "is_fixed", "load_workspace", "open_workspace"]
