import { fileURLToPath } from 'node:url'

const file = (name) => fileURLToPath(new URL(name, import.meta.url))

export default {
  cacheHandler: file('./cache-handler.mjs'),
  cacheHandlers: { default: file('./use-cache-handler.mjs') },
  cacheMaxMemorySize: 0,
  experimental: { useCache: true },
}
