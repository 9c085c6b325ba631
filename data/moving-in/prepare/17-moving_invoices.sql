CREATE OR REPLACE VIEW moving_invoices AS
SELECT m.*, IF(m.reason IS NULL, NULL, 'invoices') AS stays FROM (
  SELECT i.id, i.user_id, i.number, i.issue_date, i.paid, i.period_start, i.period_end, i.exchange_rate, IFNULL(c.name, i.currency) AS currency,
    CAST(ROUND(i.old_price * i.exchange_rate, 15) AS DECIMAL(65,15)) AS price,
    CAST(ROUND(IFNULL(i.old_price_with_vat, i.old_price) * i.exchange_rate, 15) AS DECIMAL(65,15)) AS price_with_vat,
    CASE WHEN u.id IS NULL THEN 'no account' WHEN i.number = '' THEN 'no number' WHEN NOT IFNULL(i.issue_date > '1970-01-01', FALSE) THEN 'no date'
      WHEN c.name IS NULL THEN 'no exchange rate'
      WHEN ABS(i.old_price * i.exchange_rate) >= 1e15 OR ABS(i.old_price_with_vat * i.exchange_rate) >= 1e15 THEN 'an amount of more than 15 digits' END AS reason
  FROM (SELECT v.id, v.user_id, v.number, v.issue_date, v.paid, v.period_start, v.period_end, CAST(v.price AS DECIMAL(50,15)) AS old_price,
      CAST(v.price_with_vat AS DECIMAL(50,15)) AS old_price_with_vat, IFNULL(IF(IFNULL(v.invoice_currency, '') = '', b.name, v.invoice_currency), '') AS currency,
      CAST(IF(IFNULL(v.invoice_exchange_rate, 0) = 0, 1, v.invoice_exchange_rate) AS DECIMAL(30,15)) AS exchange_rate
    FROM invoices v LEFT JOIN currencies b ON b.id = 1) i
  LEFT JOIN moving_users u ON u.id = i.user_id AND u.stays IS NULL LEFT JOIN every_currency c ON c.name = i.currency) m;
