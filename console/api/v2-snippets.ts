import { V2_VERSION } from '#lib/api/v2-text.ts'
import type { DescribedMethod, SentValues } from './catalogue.ts'
import { urlOf } from './request.ts'
import type { Language } from './snippets.ts'

interface SignedRequest {
  readonly url: string
  readonly path: string
  /** The form. Its escapes leave no quotes and backslashes. */
  readonly body: string
}

/** The media type with which curl, PHP's curl and Python's urllib send a form. */
const TYPE = 'application/x-www-form-urlencoded'

/** A program for this call, signed with v2 (docs/keys.md). The key comes from TOLLGATE_KEY. */
export function v2Snippet(language: Language, method: DescribedMethod, values: SentValues): string {
  const url = urlOf(method.name)
  const sent = Object.entries(values).filter(([name]) => name !== 'hash')
  const body = String(new URLSearchParams(sent))
  return WRITERS[language]({ url, path: new URL(url).pathname, body }).join('\n')
}

const WRITERS: Readonly<Record<Language, (request: SignedRequest) => readonly string[]>> = {
  curl: ({ url, path, body }) => [
    `BODY='${body}' TIME=$(date +%s) NONCE=$(openssl rand -hex 16)`,
    `DIGEST=$(printf %s "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)`,
    `SIGNATURE=$(printf '${V2_VERSION}\\nPOST\\n${path}\\n\\n${TYPE}\\n%s\\n%s\\n%s' "$TIME" "$NONCE" "$DIGEST" |`,
    `  openssl dgst -sha256 -hmac "$TOLLGATE_KEY" -r | cut -d' ' -f1)`,
    `curl '${url}' \\`,
    '  --data "$BODY" \\',
    '  --header "Tollgate-Timestamp: $TIME" \\',
    '  --header "Tollgate-Nonce: $NONCE" \\',
    '  --header "Tollgate-Signature: $SIGNATURE"',
  ],
  PHP: ({ url, path, body }) => [
    '<?php',
    `$body = '${body}';`,
    '$time = time();',
    '$nonce = bin2hex(random_bytes(16));',
    `$text = implode("\\n", ['${V2_VERSION}', 'POST', '${path}', '', '${TYPE}', $time, $nonce, hash('sha256', $body)]);`,
    "$signature = hash_hmac('sha256', $text, getenv('TOLLGATE_KEY'));",
    `$request = curl_init('${url}');`,
    'curl_setopt_array($request, [',
    '    CURLOPT_POSTFIELDS => $body,',
    '    CURLOPT_HTTPHEADER => [',
    '        "Tollgate-Timestamp: $time",',
    '        "Tollgate-Nonce: $nonce",',
    '        "Tollgate-Signature: $signature",',
    '    ],',
    '    CURLOPT_RETURNTRANSFER => true,',
    ']);',
    'echo curl_exec($request);',
  ],
  Python: ({ url, path, body }) => [
    'import hashlib, hmac, os, secrets, time, urllib.request',
    '',
    `body = "${body}".encode()`,
    'timestamp, nonce = str(int(time.time())), secrets.token_hex(16)',
    'digest = hashlib.sha256(body).hexdigest()',
    `text = "\\n".join(["${V2_VERSION}", "POST", "${path}", "", "${TYPE}", timestamp, nonce, digest])`,
    'signature = hmac.new(os.environ["TOLLGATE_KEY"].encode(), text.encode(), "sha256").hexdigest()',
    'headers = {"Tollgate-Timestamp": timestamp, "Tollgate-Nonce": nonce, "Tollgate-Signature": signature}',
    `request = urllib.request.Request("${url}", body, headers)`,
    'print(urllib.request.urlopen(request).read().decode())',
  ],
  JavaScript: ({ url, path, body }) => [
    "import { createHash, createHmac, randomUUID } from 'node:crypto'",
    '',
    `const [body, type] = ['${body}', '${TYPE}']`,
    'const timestamp = String(Math.floor(Date.now() / 1000))',
    'const nonce = randomUUID()',
    "const digest = createHash('sha256').update(body).digest('hex')",
    `const text = ['${V2_VERSION}', 'POST', '${path}', '', type, timestamp, nonce, digest].join('\\n')`,
    'const headers = {',
    "  'Content-Type': type,",
    "  'Tollgate-Timestamp': timestamp,",
    "  'Tollgate-Nonce': nonce,",
    "  'Tollgate-Signature': createHmac('sha256', process.env.TOLLGATE_KEY).update(text).digest('hex'),",
    '}',
    `const response = await fetch('${url}', { method: 'POST', headers, body })`,
    'console.log(await response.text())',
  ],
}
