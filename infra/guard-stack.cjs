const { createRequire } = require('node:module')

const requireOfOsls = createRequire(require.resolve('serverless'))

/**
 * Looks at the change set of a deployment before it is executed, and at the queues before a stack is removed: neither loses what
 * cannot be made again. TOLLGATE_LOOK=yes only looks, and TOLLGATE_REPLACES names resources that may be lost.
 */
module.exports = class GuardStack {
  constructor(serverless, _options, { log }) {
    this.serverless = serverless
    this.log = log
    this.hooks = {
      'before:aws:deploy:deploy:updateStack': () => this.lookAtChangeSet(),
      'after:aws:deploy:deploy:updateStack': () =>
        this.serverless.service.custom.deletionProtection && this.protectStack(true),
      'before:remove:remove': () => this.releaseStack(),
    }
  }

  get provider() {
    return this.serverless.getProvider('aws')
  }

  /** A client of CloudFormation that knows the name of the stack. */
  async cloudFormation() {
    const { CloudFormation } = requireOfOsls('@aws-sdk/client-cloudformation')
    const client = new CloudFormation(await this.provider.getAwsSdkV3Config())
    const StackName = this.provider.naming.getStackName()
    return (action, input = {}) => client[action]({ StackName, ...input })
  }

  lookAtChangeSet() {
    const deployment = this.serverless.pluginManager.plugins.find(
      (plugin) => plugin.constructor.name === 'AwsDeploy',
    )
    const waitForCreation = deployment.waitForChangeSetCreation.bind(deployment)
    deployment.waitForChangeSetCreation = async (ChangeSetName, stackName) => {
      const described = await waitForCreation(ChangeSetName, stackName)
      if (described.Status === 'FAILED') return described
      const changes = await allPages((NextToken) => this.describe(ChangeSetName, NextToken))
      for (const line of linesOf(changes)) this.log.notice(line)
      if (process.env.TOLLGATE_LOOK) return NOTHING_TO_DO
      await this.refuseLosses(changes)
      return described
    }
  }

  async describe(ChangeSetName, NextToken) {
    const { Changes = [], NextToken: next } = await (await this.cloudFormation())('describeChangeSet', {
      ChangeSetName,
      NextToken,
    })
    return [Changes, next]
  }

  async refuseLosses(changes) {
    const allowed = (process.env.TOLLGATE_REPLACES ?? '').split(',')
    const { stackPolicy } = this.serverless.service.provider
    const lost = lossesOf(changes, stackPolicy)
    const refused = lost.filter((name) => !allowed.includes(name))
    if (refused.length > 0)
      throw new this.serverless.classes.Error(
        `The change set replaces or removes ${refused.join(', ')}, and nothing was deployed: if this is meant, pass --replaces ${lost.join(',')}`,
      )
    // After the update, osls sets the policy again that refuses them.
    if (lost.length > 0)
      await (await this.cloudFormation())('setStackPolicy', {
        StackPolicyBody: JSON.stringify({ Statement: stackPolicy.slice(0, 1) }),
      })
  }

  /** Throws while a queue holds messages, which would be lost with it. Dead letters stay. */
  async releaseStack() {
    const cloudFormation = await this.cloudFormation()
    const resources = await allPages(async (NextToken) => {
      const { StackResourceSummaries, NextToken: next } = await cloudFormation('listStackResources', {
        NextToken,
      })
      return [StackResourceSummaries, next]
    })
    const queues = resources.filter(
      ({ ResourceType, LogicalResourceId }) =>
        ResourceType === 'AWS::SQS::Queue' && !LogicalResourceId.endsWith('DeadLetters'),
    )
    const held = (await Promise.all(queues.map((queue) => this.heldBy(queue)))).filter(Boolean)
    if (held.length > 0)
      throw new this.serverless.classes.Error(
        `${held.join(' and ')}: stop what sends them, and run this again when the consumers have taken them (aws sqs purge-queue discards them)`,
      )
    const { Stacks } = await cloudFormation('describeStacks')
    if (Stacks[0].EnableTerminationProtection) await this.protectStack(false)
  }

  async protectStack(EnableTerminationProtection) {
    await (await this.cloudFormation())('updateTerminationProtection', { EnableTerminationProtection })
  }

  async heldBy({ LogicalResourceId, PhysicalResourceId: QueueUrl }) {
    const { SQS } = require('@aws-sdk/client-sqs')
    // The region's address, also where a stand-in gives queues those of AWS.
    const sqs = new SQS({ ...(await this.provider.getAwsSdkV3Config()), useQueueUrlAsEndpoint: false })
    const AttributeNames = ['', 'NotVisible', 'Delayed'].map((state) => `ApproximateNumberOfMessages${state}`)
    const { Attributes } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames })
    const messages = AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0)
    return messages > 0 && `${LogicalResourceId} holds ${messages} messages`
  }
}

/** osls deletes a change set of which AWS says this. */
const NOTHING_TO_DO = { Status: 'FAILED', StatusReason: 'No updates are to be performed.' }

async function allPages(readPage) {
  const all = []
  let token
  do {
    const [page, next] = await readPage(token)
    all.push(...page)
    token = next
  } while (token)
  return all
}

const isLost = ({ Action, Replacement }) => Action === 'Remove' || Replacement === 'True'

/** The logical names of resources that a change set removes or replaces although the stack policy forbids it. */
function lossesOf(changes, stackPolicy) {
  const kept = stackPolicy.flatMap(({ Effect, Condition }) =>
    Effect === 'Deny' ? Condition.StringEquals.ResourceType : [],
  )
  return changes.flatMap(({ ResourceChange: change }) =>
    isLost(change) && kept.includes(change.ResourceType) ? [change.LogicalResourceId] : [],
  )
}

function effectOf({ Action, Replacement }) {
  if (Action === 'Remove') return 'removes'
  if (Replacement === 'True') return 'replaces'
  return Replacement === 'Conditional' ? 'may replace' : undefined
}

/** How many resources change, and a line for each one that is removed or replaced, or may be. */
function linesOf(changes) {
  const all = changes.map(({ ResourceChange }) => ResourceChange)
  const of = (action) => all.filter(({ Action }) => Action === action).length
  return [
    `The change set adds ${of('Add')} resources, changes ${of('Modify')} and removes ${of('Remove')}.`,
    ...all.flatMap((change) => {
      const effect = effectOf(change)
      return effect ? [`  ${effect} ${change.LogicalResourceId} (${change.ResourceType})`] : []
    }),
  ]
}

module.exports.lossesOf = lossesOf
module.exports.linesOf = linesOf
