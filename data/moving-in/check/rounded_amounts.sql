-- Amounts have 15 decimals here: others are rounded, and the smallest become 0.
SELECT CONCAT(e.kept_in, ': ', COUNT(*), ' rounded to 15 decimals, ', SUM(CAST(e.amount AS DECIMAL(65,15)) = 0), ' of them to 0, such as that of ', MIN(e.id))
FROM (SELECT 'user_price of calls' AS kept_in, c.id, c.user_price AS amount FROM every_amount c
  UNION ALL SELECT 'provider_price of calls', c.id, c.provider_price FROM every_amount c UNION ALL SELECT 'reseller_price of calls', c.id, c.reseller_price FROM every_amount c
  UNION ALL SELECT 'did_price of calls', c.id, c.did_price FROM every_amount c UNION ALL SELECT 'user_rate of calls', c.id, c.user_rate FROM every_amount c
  UNION ALL SELECT 'provider_rate of calls', c.id, c.provider_rate FROM every_amount c
  UNION ALL SELECT 'rate of ratedetails', r.id, r.rate FROM ratedetails r UNION ALL SELECT 'connection_fee of ratedetails', r.id, r.connection_fee FROM ratedetails r
  UNION ALL SELECT 'price of aratedetails', a.id, a.price FROM aratedetails a UNION ALL SELECT 'balance of users', u.id, u.balance FROM users u
  UNION ALL SELECT 'credit of users', u.id, u.credit FROM users u UNION ALL SELECT 'amount of payments', p.id, p.amount FROM payments p
  UNION ALL SELECT 'price of invoices', v.id, v.price FROM invoices v UNION ALL SELECT 'price of invoicedetails', l.id, l.price FROM invoicedetails l
  UNION ALL SELECT 'price of credit_notes', n.id, n.price FROM credit_notes n) e
WHERE ABS(e.amount) < 1e15 AND e.amount <> CAST(e.amount AS DECIMAL(65,15)) GROUP BY e.kept_in ORDER BY e.kept_in;
