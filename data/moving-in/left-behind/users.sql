SELECT 'id,username,usertype,balance';
SELECT CONCAT_WS(',', u.id, cell(u.username), cell(u.usertype), cell(plain(u.balance))) FROM moving_users u WHERE u.stays IS NOT NULL;
