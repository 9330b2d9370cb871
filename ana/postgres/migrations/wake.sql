-- Workers look for the next run of a lane when one has ended, and not when they would look by themselves.
CREATE FUNCTION wake_workers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('procrastinate_queue_v1#' || OLD.queue_name, json_build_object('type', 'job_inserted', 'job_id', OLD.id)::text);
    RETURN NULL;
END;
$$;

CREATE TRIGGER wake_workers AFTER DELETE ON procrastinate_jobs
    FOR EACH ROW WHEN (OLD.lock IS NOT NULL) EXECUTE FUNCTION wake_workers();
