SELECT 'id,detail_id,user_id,destinationgroup_id,from,duration,type,round,price,start_time,end_time,daytype';
SELECT CONCAT_WS(',', k.id, cell(a.id), cell(k.user_id), cell(k.destinationgroup_id), cell(a.`from`), cell(a.duration),
  cell(a.artype), cell(a.round), cell(plain(a.price)), cell(a.start_time), cell(a.end_time), cell(a.daytype))
FROM customrates k LEFT JOIN acustratedetails a ON a.customrate_id = k.id ORDER BY k.user_id, k.id, a.id;
SELECT CONCAT_WS(',', '', a.id, '', '', cell(a.`from`), cell(a.duration),
  cell(a.artype), cell(a.round), cell(plain(a.price)), cell(a.start_time), cell(a.end_time), cell(a.daytype))
FROM acustratedetails a LEFT JOIN customrates k ON k.id = a.customrate_id WHERE k.id IS NULL ORDER BY a.id;
