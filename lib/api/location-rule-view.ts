import { type LocationRule, locationRuleColumns } from '#lib/store/location-rules/location-rule.ts'
import type { Markup } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

const columns = Object.keys(locationRuleColumns) as (keyof typeof locationRuleColumns)[]

const write = rowWriter('location_rule', columns)

/** Rules as location_rule_get and location_rules_get print them; a location may hold thousands. */
export const locationRulesView = (rules: readonly LocationRule[]): Markup =>
  write(
    rules.map((rule) => ({
      ...rule,
      enabled: Number(rule.enabled),
      change_callerid_name: Number(rule.change_callerid_name),
    })),
  )
