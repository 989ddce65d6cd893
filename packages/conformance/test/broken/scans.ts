import type { Bytes, Page, ScanEntry, ScanRange } from '@unikv/core'
import { type BrokenStore, type Sound, withPages } from './broken-store.ts'

const scan = 'scan and cursor'
const prefixes = 'prefixes and neighbours'
const order = 'order and ranges'
const keys = 'keys'

/** Stores that list too much, too little, or in another order. */
export const brokenScans: readonly BrokenStore[] = [
  {
    fault: 'takes a prefix for a glob pattern',
    topic: prefixes,
    found: 'a scan lists exactly the keys that start with its prefix',
    breaks: (inner) => matching(inner, (prefix) => glob(prefix)),
  },
  {
    fault: 'takes a prefix for a LIKE pattern',
    topic: prefixes,
    found: 'a scan lists exactly the keys that start with its prefix',
    breaks: (inner) =>
      matching(
        inner,
        (prefix) => new RegExp(`^${escape(prefix).replaceAll('%', '.*').replaceAll('_', '.')}`, 'su'),
      ),
  },
  {
    fault: 'takes a prefix for a regular expression',
    topic: prefixes,
    found: 'a scan lists exactly the keys that start with its prefix',
    breaks: (inner) => matching(inner, (prefix) => regex(`^${prefix}`)),
  },
  {
    fault: 'compares prefixes without case',
    topic: prefixes,
    found: 'a scan lists exactly the keys that start with its prefix',
    breaks: (inner) => matching(inner, (prefix) => new RegExp(`^${escape(prefix)}`, 'iu')),
  },
  {
    fault: 'finds the prefix anywhere in the key',
    topic: prefixes,
    found: 'KeyValue lists, counts and returns the entries of a prefix exactly',
    breaks: (inner) => matching(inner, (prefix) => new RegExp(escape(prefix), 'u')),
  },
  {
    fault: 'drops the border between namespace and key',
    topic: 'namespaces',
    found: 'no name and key together are another name and key',
    breaks: (inner) => {
      const cut = (key: string) => key.replace(/\u0002.*/su, (rest) => rest.slice(1))
      return {
        read: (reads) => reads.map((read) => inner.read({ ...read, key: cut(read.key) })),
        write: (mutations) =>
          mutations.map((mutation) => inner.write({ ...mutation, key: cut(mutation.key) })),
      }
    },
  },
  {
    fault: 'lists a namespace together with those whose names start like its own',
    topic: 'namespaces',
    found: 'clearing the root removes every namespace, and no other dataset',
    breaks: (inner) =>
      withPages((range) =>
        inner.pages({ ...range, prefix: range.prefix.slice(0, 2), gte: range.gte ?? '\u0002' }),
      ),
  },
  {
    fault: 'does not list keys of namespaces',
    topic: 'namespaces',
    found: 'a view lists and counts its own keys, and the root its own',
    breaks: (inner) =>
      withPages((range) =>
        changed(inner.pages(range), (entries) => entries.filter(({ key }) => !key.startsWith('\u0001'))),
      ),
  },
  {
    fault: 'counts pages instead of remembering keys',
    topic: scan,
    found:
      'a key that lives throughout is listed, as often as declared, although others come and go, and no other',
    breaks: (inner) => withPages((range) => pagesByOffset(inner, range)),
  },
  {
    fault: 'lists the last key of each page again',
    topic: scan,
    found: 'a scan lists every live key once when nothing changes, in pages of any size',
    breaks: (inner) =>
      withPages(function* (range) {
        let last: readonly ScanEntry<Bytes>[] = []
        for (const page of inner.pages(range)) {
          yield { ...page, entries: [...last, ...page.entries].slice(0, range.pageSize) }
          last = page.entries.slice(-1)
        }
      }),
  },
  {
    fault: 'skips a key when it resumes',
    topic: 'resuming a scan',
    found: 'a scan resumes after any of its pages, in another instance too',
    breaks: (inner) =>
      withPages(function* (range) {
        let skip = range.resume === undefined ? 0 : 1
        for (const page of inner.pages(range)) {
          yield { ...page, entries: page.entries.slice(skip) }
          skip = 0
        }
      }),
  },
  {
    fault: 'starts anew when the key after which it resumes is gone',
    topic: 'resuming a scan',
    found: 'a scan resumes where it stopped although the last key it listed is gone',
    breaks: (inner) =>
      withPages((range) =>
        inner.pages(
          range.resume !== undefined && inner.entry(range.resume) === undefined
            ? { ...range, resume: undefined }
            : range,
        ),
      ),
  },
  {
    fault: 'forgets the last page',
    topic: scan,
    found: 'a scan lists every live key once when nothing changes, in pages of any size',
    breaks: (inner) =>
      withPages(function* (range) {
        for (const page of inner.pages(range))
          if (page.resume !== undefined || range.pageSize > 100) yield page
      }),
  },
  {
    fault: 'gives larger pages than were asked for',
    topic: scan,
    found: 'no page is larger than was asked for',
    breaks: (inner) => withPages((range) => inner.pages({ ...range, pageSize: range.pageSize * 2 })),
  },
  {
    fault: 'leaves the values out',
    topic: scan,
    found: 'entries carry value, version and expiry when values are asked for',
    breaks: (inner) => withPages((range) => inner.pages({ ...range, values: false })),
  },
  {
    fault: 'lists what was deleted',
    topic: scan,
    found: 'deleted keys are not listed',
    breaks: (inner) => {
      const ever = new Set<string>()
      return {
        write: (mutations) =>
          mutations.map((mutation) => {
            ever.add(mutation.key)
            return inner.write(mutation)
          }),
        scan: function* ({ prefix }) {
          yield { entries: [...ever].filter((key) => key.startsWith(prefix)).map((key) => ({ key })) }
        },
      }
    },
  },
  {
    fault: 'sorts by UTF-16 units',
    topic: order,
    found: 'keys come in the order of their UTF-8 bytes, over pages of any size',
    breaks: (inner) => withPages((range) => sorted(inner, range, (a, b) => (a < b ? -1 : 1))),
  },
  {
    fault: 'sorts as a dictionary does',
    topic: keys,
    found: 'each hostile key is itself and no other, and all are listed together',
    breaks: (inner) => withPages((range) => sorted(inner, range, (a, b) => a.localeCompare(b))),
  },
  {
    fault: 'counts the end of a range in',
    topic: order,
    found: 'a range holds its first key and not its end',
    breaks: (inner) =>
      withPages((range) =>
        inner.pages(range.lt === undefined ? range : { ...range, lt: `${range.lt}\u0000` }),
      ),
  },
  {
    fault: 'leaves the first key of a range out',
    topic: order,
    found: 'KeyValue lists from, after, up to and before a key',
    breaks: (inner) =>
      withPages((range) =>
        inner.pages(range.gte === undefined ? range : { ...range, gte: `${range.gte}\u0000` }),
      ),
  },
  {
    fault: 'forgets the prefix when there is a range',
    topic: order,
    found: 'a range with a prefix holds what is in both',
    breaks: (inner) =>
      withPages((range) => inner.pages(range.gte === undefined ? range : { ...range, prefix: '' })),
  },
]

function matching(inner: Sound, patternOf: (prefix: string) => RegExp) {
  return withPages((range) => {
    const pattern = patternOf(range.prefix)
    return changed(inner.pages({ ...range, prefix: '' }), (entries) =>
      entries.filter(({ key }) => pattern.test(key)),
    )
  })
}

function* changed(
  pages: Iterable<Page<Bytes>>,
  change: (entries: readonly ScanEntry<Bytes>[]) => readonly ScanEntry<Bytes>[],
): Generator<Page<Bytes>> {
  for (const page of pages) yield { ...page, entries: change(page.entries) }
}

function all(inner: Sound, range: ScanRange): ScanEntry<Bytes>[] {
  return [...inner.pages({ ...range, resume: undefined, pageSize: 100_000 })].flatMap(
    ({ entries }) => entries,
  )
}

function* pagesByOffset(inner: Sound, range: ScanRange): Generator<Page<Bytes>> {
  for (let offset = Number(range.resume ?? 0); ; offset += range.pageSize) {
    const entries = all(inner, range).slice(offset, offset + range.pageSize)
    const isLast = entries.length < range.pageSize
    yield { entries, resume: isLast ? undefined : String(offset + range.pageSize) }
    if (isLast) return
  }
}

function* sorted(
  inner: Sound,
  range: ScanRange,
  compare: (a: string, b: string) => number,
): Generator<Page<Bytes>> {
  const entries = all(inner, range).toSorted((a, b) => compare(a.key, b.key))
  for (let i = 0; i < entries.length; i += range.pageSize)
    yield { entries: entries.slice(i, i + range.pageSize) }
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}

function glob(prefix: string): RegExp {
  return regex(
    `^${prefix
      .replace(/[.+^${}()|]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}`,
  )
}

/** A pattern that is none matches nothing. */
function regex(source: string): RegExp {
  try {
    return new RegExp(source, 's')
  } catch {
    return /^\b$/
  }
}
