SELECT 'id,number,owner_id,balance';
SELECT CONCAT_WS(',', c.id, cell(c.number), cell(c.owner_id), cell(plain(c.balance))) FROM cards c;
