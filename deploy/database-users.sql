-- Who may do what, made so at each start by the superuser; safe to run again. Needs psql's variables app, migrator and
-- temporal, which hold passwords. What an earlier version's superuser owns is handed over.
\set QUIET on
SELECT format('CREATE ROLE %I LOGIN', name) FROM unnest(ARRAY['guidesmith_app', 'guidesmith_migrator', 'temporal']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
ALTER ROLE guidesmith_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'app';
ALTER ROLE guidesmith_migrator LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'migrator';
ALTER ROLE temporal LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'temporal';

SELECT format('CREATE DATABASE %I OWNER temporal', name) FROM unnest(ARRAY['temporal', 'temporal_visibility']) AS name
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = name) \gexec

-- The product's database: the migrator owns the schema, the app reads and writes rows.
REVOKE ALL ON DATABASE guidesmith FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE guidesmith TO guidesmith_app, guidesmith_migrator;
ALTER SCHEMA public OWNER TO guidesmith_migrator;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO guidesmith_app;
SELECT format('ALTER %s public.%I OWNER TO guidesmith_migrator',
              CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, relname)
FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
  AND relowner <> 'guidesmith_migrator'::regrole
  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype IN ('a', 'i') AND relkind = 'S') \gexec
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO guidesmith_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO guidesmith_app;
ALTER DEFAULT PRIVILEGES FOR ROLE guidesmith_migrator IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO guidesmith_app;
ALTER DEFAULT PRIVILEGES FOR ROLE guidesmith_migrator IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO guidesmith_app;

-- Temporal's own two.
\connect temporal
ALTER DATABASE temporal OWNER TO temporal;
ALTER SCHEMA public OWNER TO temporal;
SELECT format('ALTER TABLE public.%I OWNER TO temporal', relname) FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relowner <> 'temporal'::regrole \gexec
\connect temporal_visibility
ALTER DATABASE temporal_visibility OWNER TO temporal;
ALTER SCHEMA public OWNER TO temporal;
SELECT format('ALTER TABLE public.%I OWNER TO temporal', relname) FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relowner <> 'temporal'::regrole \gexec
