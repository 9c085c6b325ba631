/** Imported first: the AWS SDK tells of Node versions to come in eight lines, in the middle of any output. */
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'
