SELECT 'id,user_id,name';
SELECT CONCAT_WS(',', d.id, cell(d.user_id), cell(d.name)) FROM moving_devices d WHERE d.stays IS NOT NULL;
