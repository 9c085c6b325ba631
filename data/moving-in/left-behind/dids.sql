SELECT 'id,did,owner_id';
SELECT CONCAT_WS(',', d.id, cell(d.did), cell(d.owner_id)) FROM moving_dids d WHERE d.stays IS NOT NULL;
