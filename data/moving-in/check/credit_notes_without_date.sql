SELECT CONCAT('credit note ', n.id, ' is paid without a date: it gets that of its issue, ', DATE(n.issue_date)) FROM moving_credit_notes n
WHERE n.lacks_pay_date AND n.stays IS NULL ORDER BY n.id;
