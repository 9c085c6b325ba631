SELECT JSON_OBJECT('id', t.id, 'name', t.name, 'purpose', t.purpose, 'currency', IFNULL(c.name, t.currency), 'owner_id', t.owner_id)
FROM tariffs t LEFT JOIN every_currency c ON c.name = t.currency;
