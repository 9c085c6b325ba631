/** A value for every parameter of infra/stages.yml. */
export const EVERYTHING = {
  alarmEmail: 'operator@example.com',
  pageUrl: 'https://events.example.com/page',
  domainName: 'billing.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
  loginConcurrency: '7',
  loginRate: '3',
  loginBurst: '4',
  intakeRate: '5',
  intakeBurst: '6',
  wafRateLimit: '2500',
  silenceHours: '48',
  permissionsBoundary: 'arn:aws:iam::123456789012:policy/limits',
  setsUpApiGatewayLogs: 'no',
  console: 'on',
  importsAccess: 'yes',
} as const
