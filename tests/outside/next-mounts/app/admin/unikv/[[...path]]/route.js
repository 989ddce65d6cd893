import { page } from '../../../../lib/unikv.js'

const { fetch } = page

export { fetch as DELETE, fetch as GET, fetch as HEAD, fetch as PATCH, fetch as POST, fetch as PUT }
