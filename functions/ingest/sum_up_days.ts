import { hourlySums } from '#lib/calls/report/day-groups.ts'
import { lambdaTableServices } from '#lib/table/store.ts'

/** Sums up the days that have changed by customer and by destination, once an hour, for the console. */
export const handler = hourlySums(lambdaTableServices())
