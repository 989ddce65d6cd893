import { StoreError } from '@unikv/core'
import { copy, type FillOptions } from '@unikv/snapshot'
import { closedAfter, type OpenedPlace, openedPlace } from '../data/place.ts'
import { isUrl } from '../same-place.ts'
import type { Terminal } from '../terminal.ts'
import { filled } from './filled.ts'
import { reported } from './report.ts'
import { work } from './work.ts'

/** Options of commands that copy records, as the command line has them. */
export interface CommonOptions {
  readonly allowEmpty?: true
  readonly config?: string
  readonly namespace?: string
  readonly rate?: number
  readonly json?: true
}

/** Options of commands that fill a store. */
export interface CopyOptions extends CommonOptions {
  readonly overwrite?: true
  readonly resume?: true
  readonly dropExpiry?: true
  readonly verify: boolean
}

/** `unikv copy`: returns the exit code. */
export async function copyStores(
  from: string,
  to: string,
  options: CopyOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.config !== undefined && isUrl(from) && isUrl(to))
    throw new StoreError('INVALID_ARGUMENT', '--config is for stores by name, but two URLs were given.')
  const source = await openedFor(from, { ...options, prepare: false })
  return closedAfter(source, async () => {
    const target = await openedFor(to, { ...options, namespace: undefined })
    return closedAfter(target, () =>
      work(terminal, (tool) =>
        filled(source.kv, async () => {
          const filling = { ...tool, ...fillOptions(options), count: terminal.columns !== undefined }
          return reported(terminal, options, 'Copied', await copy(source.kv, target.kv, filling))
        }),
      ),
    )
  })
}

/** Words of a command about one of its stores. */
interface Asked {
  readonly config?: string | undefined
  readonly namespace?: string | undefined
  readonly prepare?: boolean
}

/** Open a store of a command. The namespace and the configuration belong to it where they can. A URL says nothing of values. */
function openedFor(place: string, { config, namespace, prepare }: Asked): Promise<OpenedPlace> {
  return openedPlace(place, {
    ...(config === undefined || isUrl(place) ? {} : { config }),
    ...(isUrl(place) ? { as: 'bytes' } : {}),
    ...(namespace === undefined ? {} : { namespace }),
    ...(prepare === undefined ? {} : { prepare }),
  })
}

/** The options of the library. */
export function fillOptions(options: CopyOptions): FillOptions {
  const { overwrite, resume, dropExpiry, verify, rate, allowEmpty } = options
  return { overwrite, resume, dropExpiry, verify, recordsPerSecond: rate, allowEmpty }
}
