-- The first account of a name keeps it. To choose another one, rename them in the copy.
SELECT CONCAT('username ', n.old_username, ' of user ', n.id, ' becomes ', n.username) FROM moving_usernames n
WHERE n.username <> n.old_username ORDER BY n.id;
