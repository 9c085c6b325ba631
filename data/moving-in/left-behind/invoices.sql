SELECT 'reason,id,user_id,number,issue_date,currency,price,price_with_vat';
SELECT CONCAT_WS(',', i.reason, i.id, cell(i.user_id), cell(i.number), cell(i.issue_date), cell(i.currency), cell(plain(i.price)), cell(plain(i.price_with_vat)))
FROM moving_invoices i WHERE i.stays IS NOT NULL;
