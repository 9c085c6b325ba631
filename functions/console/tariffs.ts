import { tariffsAnswer } from '#lib/api/console/answers/tariffs.ts'
import { defineResource, MANAGERS, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { maySeeTariff, tariffRowMaker } from '#lib/api/console/tariff-rows.ts'
import { listTariffs } from '#lib/rates/tariff.ts'

export const resource = defineResource({
  name: 'tariffs',
  access: 'read',
  operations: [
    operation('GET', '/tariffs', {
      summary: 'The tariffs, each with its active version.',
      callers: MANAGERS,
      params: {},
      answer: tariffsAnswer,
      run: async (request) => {
        const tariffs = (await listTariffs(request.store)).filter((one) => maySeeTariff(request.caller, one))
        return { tariffs: tariffs.map(await tariffRowMaker(request, tariffs)) }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)
