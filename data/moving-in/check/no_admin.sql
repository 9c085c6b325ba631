-- Everything belongs to the account 0. Without it the import refuses every tariff, rate and provider: look for a complete dump.
SELECT 'there is no user with the id 0: nothing can move' FROM (SELECT COUNT(*) AS admins FROM users u WHERE u.id = 0) a WHERE a.admins = 0;
