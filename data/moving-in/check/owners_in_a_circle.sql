-- Accounts that own each other belong to nobody: nobody else sees them.
WITH RECURSIVE moving_chain AS (SELECT u.id AS first_id, u.owner_id, 1 AS steps FROM moving_users u WHERE u.stays IS NULL AND u.id > 0
  UNION ALL SELECT c.first_id, o.owner_id, c.steps + 1 FROM moving_chain c JOIN moving_users o ON o.id = c.owner_id AND o.stays IS NULL
    WHERE c.owner_id > 0 AND c.owner_id <> c.first_id AND c.steps < 10)
SELECT CONCAT('user ', c.first_id, ' belongs to itself, over ', c.steps, ' owners') FROM moving_chain c WHERE c.owner_id = c.first_id ORDER BY c.first_id;
