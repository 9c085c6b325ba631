-- MySQL compares names without regard to case and blanks at the end. The first account of a name keeps it, the others get their id behind it.
CREATE OR REPLACE VIEW moving_usernames AS
SELECT u.id, IF(f.first_id = u.id, u.username, CONCAT(TRIM(u.username), '-', u.id)) AS username, u.username AS old_username
FROM moving_users u JOIN (SELECT x.username, MIN(x.id) AS first_id FROM moving_users x WHERE x.stays IS NULL GROUP BY x.username) f
  ON f.username = u.username
WHERE u.stays IS NULL;
