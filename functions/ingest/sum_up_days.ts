import { hourlySums } from '#lib/report/hourly-sums.ts'
import { lambdaTableServices } from '#lib/store/store.ts'

/** Sums up the days that have changed by customer and by destination, once an hour, for the console. */
export const handler = hourlySums('sum_up_days', lambdaTableServices())
