"""The reference server: the part of API v2 that the bench calls, in one process of FastAPI on uvloop and httptools.

    python server.py PORT

Planes stay numpy arrays and go to the socket as they are, without a copy. An open runs on a thread, so that the event
loop answers meanwhile. A session lives until it is deleted.
"""

import asyncio
import logging
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor

import orjson
import uvicorn
from fastapi import FastAPI, Request, Response
from readers import CORES, read_planes

app = FastAPI(openapi_url=None)
opens = ThreadPoolExecutor(CORES * 2, thread_name_prefix='open')
sessions = {}


def answer(value, status=200):
    text = orjson.dumps(value, default=str, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(text, status, media_type='application/json')


def refuse(status, code, message):
    return answer({'ok': False, 'error': code, 'message': message, 'details': None}, status)


HEALTH = orjson.dumps({'ok': True, 'apiVersion': 'v2'})


@app.get('/api/v2/health')
async def health():
    return Response(HEALTH, media_type='application/json')


@app.post('/api/v2/open')
async def open_path(request: Request):
    body = orjson.loads(await request.body())
    path, wanted = body['path'], body.get('channelIndices')
    try:
        loop = asyncio.get_running_loop()
        label, dtype, scale, planes = await loop.run_in_executor(opens, read_planes, path, wanted)
    except Exception as error:
        return refuse(422, 'decode_failed', f'{type(error).__name__}: {error}')
    session = uuid.uuid4().hex
    indices = list(range(len(planes))) if wanted is None else wanted
    sessions[session] = {index: memoryview(plane).cast('B') for index, plane in zip(indices, planes)}
    rows, columns = planes[0].shape
    return answer({
        'ok': True,
        'apiVersion': 'v2',
        'sessionId': session,
        'source': {'path': path, 'format': label, 'sourceDtype': dtype, 'numChannels': len(planes)},
        'header': {'scale': scale},
        'plane': {'shape': [rows, columns], 'servedDtype': 'float32', 'encoding': 'raw-f32-le', 'layout': 'row-major'},
        'channels': [
            {
                'index': index,
                'name': f'Channel {index + 1}',
                'byteLength': plane.nbytes,
                'dataUrl': f'/api/v2/sessions/{session}/channels/{index}/data',
            }
            for index, plane in zip(indices, planes)
        ],
        'reference': None,
    })


@app.get('/api/v2/sessions/{session}/channels/{channel}/data')
async def plane_data(session: str, channel: int):
    plane = sessions.get(session, {}).get(channel)
    if plane is None:
        return refuse(404, 'channel_not_found', 'no such plane')
    return Response(plane, media_type='application/octet-stream', headers={'cache-control': 'no-store'})


@app.delete('/api/v2/sessions/{session}')
async def delete(session: str):
    if sessions.pop(session, None) is None:
        return refuse(404, 'session_not_found', 'no such session')
    return answer({'ok': True, 'sessionId': session, 'deleted': True})


if __name__ == '__main__':
    logging.disable(logging.CRITICAL)
    port = int(sys.argv[1])
    # Connections outlast the pauses of the bench.
    options = {'http': 'httptools', 'timeout_keep_alive': 75, 'access_log': False, 'log_level': 'error'}
    uvicorn.run(app, host='127.0.0.1', port=port, **options)
