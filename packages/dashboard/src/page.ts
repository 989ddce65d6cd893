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
  const { html, script, style, tag } = await import('#page')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': `default-src 'none'; script-src ${script}; style-src ${style}; ${policy}`,
    etag: tag,
    ...security,
  }
  const isKnown = given.get('if-none-match') === tag
  return new Response(isKnown ? null : html, { status: isKnown ? 304 : 200, headers })
}
