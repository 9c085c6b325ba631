CREATE OR REPLACE VIEW moving_invoice_lines AS
SELECT l.id, l.invoice_id, l.name, l.quantity, l.prefix, l.total_time, l.invdet_type, l.is_counted,
  CAST(ROUND(l.old_price * IFNULL(i.exchange_rate, 1), 15) AS DECIMAL(65,15)) AS price,
  CAST(ROUND(IF(l.is_counted, l.quantity, 1) * l.old_price * IFNULL(i.exchange_rate, 1), 15) AS DECIMAL(65,15)) AS line_sum,
  IFNULL(i.currency, '') AS currency, IF(i.id IS NULL, 'invoice_lines', NULL) AS stays
FROM (SELECT d.id, d.invoice_id, d.name, d.quantity, d.prefix, d.total_time, d.invdet_type, CAST(IFNULL(d.price, 0) AS DECIMAL(50,15)) AS old_price,
    d.invdet_type > 0 AND IFNULL(d.name, '') <> 'Calls' AS is_counted FROM invoicedetails d) l
LEFT JOIN moving_invoices i ON i.id = l.invoice_id AND i.stays IS NULL;
