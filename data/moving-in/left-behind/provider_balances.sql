SELECT 'id,name,balance';
SELECT CONCAT_WS(',', p.id, cell(p.name), plain(p.balance)) FROM providers p WHERE p.balance <> 0;
