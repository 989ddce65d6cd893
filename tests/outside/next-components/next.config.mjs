import { fileURLToPath } from 'node:url'

const file = (name) => fileURLToPath(new URL(name, import.meta.url))
const useCache = file('./use-cache-handler.mjs')

export default {
  cacheHandler: file('./cache-handler.mjs'),
  cacheHandlers: { default: useCache, remote: useCache },
  cacheMaxMemorySize: 0,
  cacheComponents: true,
}
