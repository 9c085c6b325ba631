-- One rule for tariffs, payments and invoices: a currency is written as in `currencies`, and a blank one is the default. What is in a currency without a rate stays behind;
-- a tariff is refused, with its rates.
SELECT CONCAT(n.kept_in, ' in ', MIN(n.name), ': ', COUNT(*), IF(MIN(c.name) IS NULL, ' without an exchange rate', CONCAT(' in ', MIN(c.name), ' from now on')))
FROM (SELECT 'tariffs' AS kept_in, t.currency AS name FROM tariffs t UNION ALL SELECT 'payments', p.currency FROM payments p
  UNION ALL SELECT 'invoices', v.invoice_currency FROM invoices v) n LEFT JOIN every_currency c ON c.name = n.name
WHERE n.name <> '' AND (c.name IS NULL OR BINARY c.name <> BINARY n.name) GROUP BY n.kept_in, BINARY n.name ORDER BY 1;
SELECT CONCAT('user ', u.id, ' has no currency: it gets the default') FROM users u LEFT JOIN currencies c ON c.id = u.currency_id
WHERE u.id >= 0 AND c.id IS NULL ORDER BY u.id;
