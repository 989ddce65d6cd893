import { gunzipSync } from 'node:zlib'

/** No code, style, image or answer from elsewhere, and no page of others around this one. */
const security = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const policy =
  "img-src data: blob:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The page: one text without addresses, so that it works under any path. */
export async function pageAnswer({ headers: given }: Request): Promise<Response> {
  const { gzip, script, style, tag } = await import('#page')
  const headers: Record<string, string> = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': `default-src 'none'; script-src ${script}; style-src ${style}; ${policy}`,
    vary: 'accept-encoding',
    etag: tag,
    ...security,
  }
  if (given.get('if-none-match') === tag) return new Response(null, { status: 304, headers })
  const packed = Buffer.from(gzip, 'base64')
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(given.get('accept-encoding') ?? ''))
    return new Response(gunzipSync(packed), { headers })
  return new Response(packed, { headers: { ...headers, 'content-encoding': 'gzip' } })
}
