/**
 * Removes roles that nothing in the template has: a stage without the console lacks the functions of some. Removes from DependsOn what a property of the resource refers to: CloudFormation creates that first anyway. osls names the
 * role of each function there. Stand-ins for AWS refuse such a template, because cfn-lint warns of it (W3005).
 */
module.exports = class NeedlessDependencies {
  constructor({ service: { provider } }) {
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        const { Resources } = provider.compiledCloudFormationTemplate
        removeUnusedRoles(Resources)
        for (const resource of Object.values(Resources)) removeNeedless(resource)
      },
    }
  }
}

function removeUnusedRoles(resources) {
  const used = new Set(Object.values(resources).flatMap(({ Properties }) => namesIn(Properties)))
  for (const [name, { Type }] of Object.entries(resources))
    if (Type === 'AWS::IAM::Role' && !used.has(name)) delete resources[name]
}

function removeNeedless(resource) {
  if (resource.DependsOn === undefined) return
  const names = namesIn(resource.Properties)
  const needed = [resource.DependsOn].flat().filter((name) => !names.includes(name))
  if (needed.length > 0) resource.DependsOn = needed
  else delete resource.DependsOn
}

/** The logical names in `Ref`, `Fn::GetAtt` and `Fn::Sub`. */
function namesIn(value) {
  if (typeof value !== 'object' || value === null) return []
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Sub': text } = value
  if (Ref !== undefined) return [Ref]
  if (attribute !== undefined) return [[attribute].flat()[0].split('.')[0]]
  const inText = [...String([text].flat()[0]).matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
  return [...inText, ...Object.values(value).flatMap(namesIn)]
}
