SELECT JSON_OBJECT('id', n.id, 'user_id', n.user_id, 'issue_date', n.issue_date, 'number', n.number, 'comment', n.comment,
  'price', n.price, 'price_with_vat', n.price_with_vat, 'pay_date', n.pay_date)
FROM moving_credit_notes n WHERE n.stays IS NULL;
