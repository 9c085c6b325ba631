-- An amount that is `NULL` moves as 0, an invoice without a rate with the rate 1, and a credit note without a price with VAT with its net price.
SELECT CONCAT('payment ', p.id, ' has no amount') FROM payments p WHERE p.amount IS NULL ORDER BY p.id;
SELECT CONCAT('line ', l.id, ' of invoice ', l.invoice_id, ' has no price') FROM invoicedetails l WHERE l.price IS NULL ORDER BY l.id;
SELECT CONCAT('invoice ', v.id, ' in ', v.invoice_currency, ' has no exchange rate') FROM invoices v JOIN currencies b ON b.id = 1
WHERE v.invoice_currency <> b.name AND IFNULL(v.invoice_exchange_rate, 0) = 0 ORDER BY v.id;
SELECT CONCAT('credit note ', n.id, ' has no price with VAT') FROM credit_notes n WHERE n.price_with_vat IS NULL ORDER BY n.id;
SELECT CONCAT(COUNT(*), ' calls have no price, such as ', MIN(c.id)) FROM moving_calls c
WHERE c.stays IS NULL AND IF(c.user_id = -1, c.did_price, c.user_price) IS NULL HAVING COUNT(*) > 0;
