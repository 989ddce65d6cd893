import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Where the built page lies, seen from the sources and from what is built of them. */
const folder = fileURLToPath(new URL('../dist/page/', import.meta.url))

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** No code, style, image or answer from elsewhere, and no page of others around this one. */
const security = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const files = new Map<string, Promise<Buffer>>()

/** A file of the page; `undefined`: there is none of this name. */
export async function pageFile(name: string): Promise<Response | undefined> {
  const [, ending = ''] = /^(?:assets\/)?[\w-]+\.(html|js|css|svg)$/.exec(name) ?? []
  const type = types[ending]
  if (type === undefined) return undefined
  const known = files.get(name) ?? readFile(folder + name)
  files.set(name, known)
  try {
    // Names of assets have a digest of their contents.
    const cache = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
    return new Response(await known, {
      headers: { 'content-type': type, 'cache-control': cache, ...security },
    })
  } catch {
    files.delete(name)
    return undefined
  }
}
