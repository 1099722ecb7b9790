// Fetches, unpacks and compiles beside the page, which meanwhile waits for its graphics.
import {bytesOf, moduleOf} from './fetched.js';

onmessage = async ({data: {path, compiled}}) => {
  try {
    postMessage({path, value: await (compiled ? moduleOf(path) : bytesOf(path))});
  } catch (error) {
    postMessage({path, error: error.message});
  }
};
