SELECT 'id,prefix,name';
SELECT CONCAT_WS(',', d.id, cell(d.prefix), cell(d.name)) FROM moving_destinations d WHERE d.stays IS NOT NULL;
