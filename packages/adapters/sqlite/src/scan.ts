import type { CallOptions, Page, Pages, ScanEntry, ScanRange } from '@unikv/core'
import type { Backend } from './backend.ts'
import { OwnThread, type WorkerThreads } from './client/access.ts'
import type { Stored } from './jobs.ts'
import { decoded, type ValueForm } from './values.ts'

/** Pages in the order of key bytes: at once in the caller's thread, or later from another. */
export function scanPages<V>({ access, form }: Backend<V>, range: ScanRange, call: CallOptions): Pages<V> {
  return access instanceof OwnThread ? pagesNow(access, form, range, call) : pages(access, form, range, call)
}

function* pagesNow<V>(
  access: OwnThread,
  form: ValueForm<V>,
  range: ScanRange,
  call: CallOptions,
): Generator<Page<V>> {
  let { resume } = range
  do {
    const page = decodedPage(form, access.ask({ verb: 'scan', range: { ...range, resume } }, call))
    yield page
    resume = page.resume
  } while (resume !== undefined)
}

async function* pages<V>(
  access: WorkerThreads,
  form: ValueForm<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  let { resume } = range
  do {
    const page = decodedPage(form, await access.ask({ verb: 'scan', range: { ...range, resume } }, call))
    yield page
    resume = page.resume
  } while (resume !== undefined)
}

/** A page with the values that its reader gets. */
export function decodedPage<V>(form: ValueForm<V>, page: Page<Stored>): Page<V> {
  const entries = page.entries.map(
    ({ key, entry }) =>
      (entry === undefined ? { key } : { key, entry: decoded(form, entry) }) as ScanEntry<V>,
  )
  return { ...page, entries }
}
