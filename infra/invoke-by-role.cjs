/**
 * Lets API Gateway invoke all functions with one role, in place of a permission on each function, which are a seventh of the
 * 500 resources of a stack ("Credentials" of an integration in the API Gateway API Reference).
 */
module.exports = class InvokeByRole {
  constructor({ service: { provider } }) {
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        const { Resources } = provider.compiledCloudFormationTemplate
        const permissions = Object.entries(Resources).filter(
          ([, { Type, Properties }]) =>
            Type === 'AWS::Lambda::Permission' && Properties.Principal === 'apigateway.amazonaws.com',
        )
        for (const [name] of permissions) delete Resources[name]
        for (const method of Object.values(Resources).filter(
          ({ Type }) => Type === 'AWS::ApiGateway::Method',
        )) {
          method.Properties.Integration.Credentials = { 'Fn::GetAtt': ['ApiInvokerRole', 'Arn'] }
          delete method.DependsOn
        }
        const [statement] = Resources.ApiInvokerRole.Properties.Policies[0].PolicyDocument.Statement
        statement.Resource = permissions.map(([, { Properties }]) => Properties.FunctionName)
      },
    }
  }
}
