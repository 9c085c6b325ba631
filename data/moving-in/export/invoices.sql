SELECT JSON_OBJECT('id', i.id, 'user_id', i.user_id, 'number', i.number, 'issue_date', i.issue_date,
  'status', IF(i.paid, 'paid', 'unpaid'), 'price', i.price, 'price_with_vat', i.price_with_vat, 'currency', i.currency,
  'period_from', i.period_start, 'period_till', i.period_end)
FROM moving_invoices i WHERE i.stays IS NULL;
