SELECT 'id,name,exchange_rate';
SELECT CONCAT_WS(',', c.id, cell(c.name), cell(plain(c.exchange_rate))) FROM currencies c LEFT JOIN every_currency e ON BINARY e.name = c.name
WHERE e.name IS NULL;
