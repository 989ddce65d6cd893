import type { Access } from './access.ts'
import type { HttpSettings } from './options.ts'
import { Rate } from './rate.ts'
import { Refused } from './refused.ts'

/** Lets callers in: by the name of this server, the origin of their page, their token, and how often they come. */
export class Guard {
  readonly #settings: HttpSettings
  readonly #rate: Rate
  readonly #sites = new Sites()

  constructor(settings: HttpSettings) {
    this.#settings = settings
    this.#rate = new Rate(settings.requestsPerSecond)
  }

  /** The rights of the caller of a request. @throws {Refused} */
  async enter(request: Request): Promise<Access> {
    checkSite(this.#settings, this.#sites, request)
    const access = await this.#settings.accessOf(request)
    this.#rate.take(access?.name ?? 'unknown')
    if (access !== undefined) return access
    const headers = { 'www-authenticate': 'Bearer' }
    throw new Refused(
      401,
      'UNAUTHORIZED',
      'Send a token that is known here: Authorization: Bearer …',
      headers,
    )
  }
}

/** Refuse names of other sites (DNS rebinding), and pages of other origins. */
function checkSite({ hosts, origins }: HttpSettings, sites: Sites, { url, headers }: Request): void {
  const origin = headers.get('origin')
  if (hosts === undefined && origin === null) return
  const { hostname, host } = sites.of(url)
  if (hosts !== undefined && !hosts.includes(hostname))
    throw new Refused(
      403,
      'FORBIDDEN',
      'This server is not reached by this name. Its owner can add the name to `hosts`.',
    )
  // A proxy that speaks TLS changes the scheme.
  const isOwn = origin === null || (URL.canParse(origin) && new URL(origin).host === host)
  if (!isOwn && !origins.includes(origin))
    throw new Refused(403, 'FORBIDDEN', 'Pages of this origin may not use this server.')
}

/** A server as its callers name it, in lower case. */
interface Site {
  readonly hostname: string
  readonly host: string
}

/** The server in a URL. Nearly all requests name the same one, and a URL takes longer to parse than a token to check. */
class Sites {
  #start = ''
  #site: Site = { hostname: '', host: '' }

  of(url: string): Site {
    const start = url.slice(0, url.indexOf('/', 8) + 1)
    if (start === '' || start !== this.#start) {
      const { hostname, host } = new URL(url)
      this.#site = { hostname: hostname.toLowerCase(), host }
      this.#start = start
    }
    return this.#site
  }
}
