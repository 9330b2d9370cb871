-- The states of conversations in words that SQLite's tables know too, so that one SQL reads and writes both: see
-- ana/threads/store.py. An index or a policy follows its table.
DO $$
BEGIN
    IF to_regclass('checkpoints') IS NOT NULL THEN
        ALTER TABLE checkpoints RENAME TO states;
        ALTER TABLE states RENAME COLUMN thread TO thread_id;
        ALTER TABLE states RENAME COLUMN run TO run_id;
        ALTER TABLE writes RENAME TO task_writes;
        ALTER TABLE task_writes RENAME COLUMN thread TO thread_id;
        ALTER TABLE emptied RENAME COLUMN thread TO thread_id;
        ALTER TABLE created RENAME COLUMN thread TO thread_id;
        ALTER TABLE stopped RENAME COLUMN run TO run_id;
        ALTER TABLE trash RENAME COLUMN number TO rowid;
    END IF;
END
$$;
