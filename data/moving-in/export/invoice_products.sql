SELECT JSON_OBJECT('invoice_id', l.invoice_id, 'name', l.name, 'quantity', l.quantity, 'price', IF(l.is_counted, l.price, NULL),
  'sum', l.line_sum, 'time', l.total_time, 'prefix', l.prefix)
FROM moving_invoice_lines l WHERE l.stays IS NULL ORDER BY l.invoice_id, l.id;
