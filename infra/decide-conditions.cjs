/**
 * Decides the conditions of the template when it is packaged, because they compare parameters of infra/stages.yml, which are
 * known then. CloudFormation also validates the branch that it does not take: a blank text is no ARN of a boundary.
 */
module.exports = class DecideConditions {
  constructor({ service: { provider } }) {
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        const { Conditions, ...template } = provider.compiledCloudFormationTemplate
        provider.compiledCloudFormationTemplate = decided(template, Conditions ?? {})
      },
    }
  }
}

function decided({ Resources, Outputs, ...template }, conditions) {
  const holds = (name) => judged(conditions[name], holds)
  return { ...template, Resources: standing(Resources, holds), Outputs: standing(Outputs, holds) }
}

const standing = (all, holds) =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([, { Condition }]) => Condition === undefined || holds(Condition))
      .map(([name, { Condition: _, ...one }]) => [name, chosenIn(one, holds)]),
  )

function judged(condition, holds) {
  const [[name, operands]] = Object.entries(condition)
  if (name === 'Fn::Equals') return String(operands[0]) === String(operands[1])
  if (name === 'Fn::Not') return !judged(operands[0], holds)
  throw new Error(`infra/decide-conditions.cjs does not know ${name}, only Fn::Equals and Fn::Not`)
}

const NOTHING = JSON.stringify({ Ref: 'AWS::NoValue' })

function chosenIn(value, holds) {
  if (Array.isArray(value))
    return value.map((item) => chosenIn(item, holds)).filter((item) => item !== undefined)
  if (typeof value !== 'object' || value === null) return value
  if (JSON.stringify(value) === NOTHING) return undefined
  if ('Fn::If' in value) {
    const [name, yes, no] = value['Fn::If']
    return chosenIn(holds(name) ? yes : no, holds)
  }
  const fields = Object.entries(value).map(([name, field]) => [name, chosenIn(field, holds)])
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
}
