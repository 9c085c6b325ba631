import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{functions,lib,infra,scripts}/**/*.test.ts'],
    globalSetup: './lib/testing/global-setup.ts',
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', AWS_REGION: 'local' },
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
