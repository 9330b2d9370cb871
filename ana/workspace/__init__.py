"""Where a person's state is, and what opens it."""

from ana.workspace.workspace import Workspace, check_model, is_fixed, load_workspace, open_workspace

__all__ = ["Workspace", "check_model", "is_fixed", "load_workspace", "open_workspace"]
