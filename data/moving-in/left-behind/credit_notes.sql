SELECT 'id,user_id,issue_date,number,price,price_with_vat';
SELECT CONCAT_WS(',', n.id, cell(n.user_id), cell(n.issue_date), cell(n.number), cell(plain(n.price)), cell(plain(n.price_with_vat)))
FROM moving_credit_notes n WHERE n.stays IS NOT NULL;
