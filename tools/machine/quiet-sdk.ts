/** Import this first: the AWS SDK otherwise prints eight lines about future Node versions into any output. */
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'
