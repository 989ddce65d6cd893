import type { Opening } from './opener.ts'

/**
 * A URL with the user info of the environment where it has none of its own: `UNIKV_MONGODB_USERNAME` and
 * `UNIKV_MONGODB_PASSWORD` for `mongodb://…`.
 */
export function withCredentials(url: string, scheme: string, environment: Opening['environment']): string {
  const start = `${scheme}://`
  if (!url.toLowerCase().startsWith(start)) return url
  const authority = url.slice(start.length).split('/', 1)[0] as string
  const variable = `UNIKV_${scheme.replace(/[^a-z0-9]/g, '_').toUpperCase()}`
  const { [`${variable}_USERNAME`]: user = '', [`${variable}_PASSWORD`]: password } = environment
  if (authority.includes('@') || password === undefined) return url
  const info = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  return `${start}${info}${url.slice(start.length)}`
}
