import type { Bytes, Entry } from '@unikv/core'
import { type BrokenStore, itemwise, withKeys } from './broken-store.ts'

const topic = 'keys'

/** Stores in which two keys meet. */
export const brokenKeys: readonly BrokenStore[] = [
  {
    fault: 'normalises keys',
    topic,
    found: 'the first of two keys that look alike is not deleted with the second',
    breaks: (inner) => withKeys(inner, (key) => key.normalize('NFC')),
  },
  {
    fault: 'compares keys without case',
    topic,
    found: 'the first of two keys that look alike is not deleted with the second',
    breaks: (inner) => withKeys(inner, (key) => key.toLowerCase()),
  },
  {
    fault: 'cuts blanks off keys',
    topic,
    found: 'the first of two keys that look alike is not deleted with the second',
    breaks: (inner) => withKeys(inner, (key) => key.trimEnd() || key),
  },
  {
    fault: 'joins doubled slashes',
    topic,
    found: 'the first of two keys that look alike is not deleted with the second',
    breaks: (inner) => withKeys(inner, (key) => key.replaceAll(/\/+/g, '/')),
  },
  {
    fault: 'takes numbers in keys for numbers',
    topic,
    found: 'the first of two keys that look alike is not deleted with the second',
    breaks: (inner) =>
      withKeys(inner, (key) =>
        /^[0-9.]+$/.test(key) && Number.isFinite(Number(key)) ? String(Number(key)) : key,
      ),
  },
  {
    fault: 'decodes percent signs',
    topic,
    found: 'the first of two keys that look alike is not deleted with the second',
    breaks: (inner) =>
      withKeys(inner, (key) => {
        try {
          return decodeURIComponent(key) || key
        } catch {
          return key
        }
      }),
  },
  {
    fault: 'cuts query strings off',
    topic,
    found: 'each hostile key is itself and no other, and all are listed together',
    breaks: (inner) => withKeys(inner, (key) => key.replace(/\?.*/s, '') || key),
  },
  {
    fault: 'keeps records as properties of an object',
    topic,
    found: 'each hostile key is itself and no other, and all are listed together',
    breaks: (inner) => {
      const records: Record<string, Entry<Bytes> | undefined> = {}
      return itemwise(inner, {
        read: ({ key }) => records[key],
        write: (mutation) => {
          if (mutation.type === 'set') records[mutation.key] = { ...mutation, expiresAt: undefined }
          else delete records[mutation.key]
          return { version: mutation.version }
        },
      })
    },
  },
  {
    fault: 'ends keys at NUL',
    topic,
    found: 'each hostile key is itself and no other, and all are listed together',
    breaks: (inner) => withKeys(inner, (key) => key.replace(/(?<=.)\0.*/s, '')),
  },
  {
    fault: 'resolves dots in paths',
    topic,
    found: 'each hostile key is itself and no other, and all are listed together',
    breaks: (inner) => withKeys(inner, (key) => key.replaceAll(/(^|\/)\.(?=\/|$)/g, '$1') || key),
  },
  {
    fault: 'keeps 64 bytes of a key and a weak hash of the rest',
    topic,
    found: 'each hostile key is itself and no other, and all are listed together',
    breaks: (inner) =>
      withKeys(inner, (key) => (key.length <= 64 ? key : key.slice(0, 64) + (key.length % 7))),
  },
  {
    fault: 'keeps 180 bytes of a key and declares more',
    topic: 'limits',
    found: 'long keys that differ in their last byte are two keys, and are listed whole',
    declares: { maxKeyBytes: 250 },
    breaks: (inner) => withKeys(inner, (key) => key.slice(0, 180)),
  },
]
